# SPDX-License-Identifier: GPL-2.0-or-later
# Hashes, sorting, regular expressions and objects in ruby, so many times over.

Entry = Struct.new(:word, :count)
state = 1
total = 0
Integer(ARGV[0]).times do
  words = Array.new(4000) do
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    "w#{(state >> 8) % 700}"
  end
  entries = words.tally.map { |word, count| Entry.new(word, count) }
  entries.sort_by! { |entry| [-entry.count, entry.word] }
  text = words.join(" ").gsub(/w(\d)(\d*)/) { "#{$2}#{$1}" }
  total += entries.first.count + text.scan(/1\d/).length
end
puts total
