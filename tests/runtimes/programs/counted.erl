%% SPDX-License-Identifier: GPL-2.0-or-later
%%
%% Processes that send messages, recursion and exceptions; counts its calls in a counter.

-module(counted).
-export([main/0]).

count(Index) ->
    counters:add(persistent_term:get(counted), Index, 1).

counted_fib(N) ->
    count(1),
    if
        N < 2 -> N;
        true -> counted_fib(N - 1) + counted_fib(N - 2)
    end.

counted_worker(From, 0) ->
    From ! done,
    count(2);
counted_worker(From, N) ->
    count(2),
    receive
        X -> From ! X + 1
    end,
    counted_worker(From, N - 1),
    ok.

counted_thrower(0) ->
    count(3),
    throw(zero);
counted_thrower(N) ->
    count(3),
    1 + counted_thrower(N - 1).

play(_, 0, Sum) ->
    receive done -> Sum end;
play(Worker, N, Sum) ->
    Worker ! N,
    receive
        X -> play(Worker, N - 1, Sum + X)
    end.

main() ->
    persistent_term:put(counted, counters:new(3, [])),
    Self = self(),
    Sums = [
        play(spawn(fun() -> counted_worker(Self, 20) end), 20, 0)
     || _ <- lists:seq(1, 5)
    ],
    Thrown = [(catch counted_thrower(N rem 5)) || N <- lists:seq(1, 30)],
    Fib = counted_fib(13),
    Counter = persistent_term:get(counted),
    io:format("sum ~p~n", [lists:sum(Sums) + Fib + length(Thrown)]),
    [
        io:format("count ~s ~p~n", [Name, counters:get(Counter, Index)])
     || {Index, Name} <- [{1, counted_fib}, {2, counted_worker}, {3, counted_thrower}]
    ],
    halt(0).
