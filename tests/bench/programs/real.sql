-- SPDX-License-Identifier: GPL-2.0-or-later
-- A table, an index, joins and sorting, with as many rows as the bench puts in.
CREATE TABLE event (id INTEGER PRIMARY KEY, word TEXT, cost REAL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @ROWS@)
   INSERT INTO event SELECT i, 'w' || (i * 7919 % 701), i * 31 % 997 FROM n;
CREATE INDEX by_word ON event (word);
SELECT word, count(*), sum(cost) FROM event GROUP BY word ORDER BY 3 DESC, 1 LIMIT 9;
SELECT count(*) FROM event a JOIN event b ON a.word = b.word AND a.id % 50 = 0
   WHERE a.cost < b.cost;
SELECT id, upper(word) FROM event WHERE word LIKE '%7_' ORDER BY cost, id LIMIT 20;
