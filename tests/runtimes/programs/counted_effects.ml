(* SPDX-License-Identifier: GPL-2.0-or-later

   OCaml 5: fibers that perform effects, are resumed by a scheduler, grow their stacks and
   end by exceptions; a second domain.  Counts its calls. *)

open Effect
open Effect.Deep

type _ Effect.t += Yield : int -> int Effect.t | Ask : int Effect.t

let worker = ref 0
let step = ref 0
let deep = ref 0
let failing = ref 0
let handled = ref 0
let domain = ref 0

let[@inline never] counted_step x =
  incr step;
  ((x * 7) + 3) land 0xffff

(* Yields from each level on the way back. *)
let[@inline never] rec counted_deep n =
  incr deep;
  if n = 0 then perform (Yield 1)
  else
    let below = counted_deep (n - 1) in
    if n mod 16 = 0 then below + perform (Yield n) else below + 1

let[@inline never] counted_worker rounds =
  incr worker;
  let sum = ref 0 in
  for i = 1 to rounds do
    sum := !sum + counted_step (perform (Yield i));
    if i mod 4 = 0 then sum := !sum + perform Ask
  done;
  !sum

(* An exception crosses a handler that does not know it. *)
let[@inline never] counted_failing n =
  incr failing;
  if perform Ask > 0 && n mod 2 = 0 then raise Not_found else n

let[@inline never] counted_handled x =
  incr handled;
  x land 0xff

let ready : (unit -> unit) Queue.t = Queue.create ()
let sum = ref 0

let fiber body =
  match_with body ()
    {
      retc = (fun value -> sum := !sum + value);
      exnc = (fun _ -> sum := !sum + 1);
      effc =
        (fun (type a) (eff : a Effect.t) ->
          match eff with
          | Yield x ->
              Some
                (fun (k : (a, unit) continuation) ->
                  Queue.add (fun () -> continue k (counted_handled x)) ready)
          | Ask -> Some (fun (k : (a, unit) continuation) -> continue k 5)
          | _ -> None);
    }

let[@inline never] rec counted_domain n =
  incr domain;
  if n < 2 then n else counted_domain (n - 1) + counted_domain (n - 2)

let () =
  for i = 0 to 39 do
    fiber (fun () -> counted_worker (20 + i));
    fiber (fun () -> counted_deep (i * 16));
    fiber (fun () -> counted_failing i)
  done;
  while not (Queue.is_empty ready) do
    (Queue.take ready) ()
  done;
  Gc.compact ();
  sum := !sum + Domain.join (Domain.spawn (fun () -> counted_domain 12));
  Printf.printf "sum %d\n" !sum;
  Printf.printf "count counted_step %d\n" !step;
  Printf.printf "count counted_worker %d\n" !worker;
  Printf.printf "count counted_deep %d\n" !deep;
  Printf.printf "count counted_failing %d\n" !failing;
  Printf.printf "count counted_handled %d\n" !handled;
  Printf.printf "count counted_domain %d\n" !domain
