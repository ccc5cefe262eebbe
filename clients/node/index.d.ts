/** Whether the program runs under Valgrind, with any of its tools. */
export function runningOnValgrind(): boolean;
/** Begins to measure; with --instr-atstart=no, everything before runs at full speed. */
export function start(): void;
/** Ceases to measure; costs counted so far are kept until the next dump. */
export function stop(): void;
/** Writes all costs as one part of the profile, then sets them to zero. */
export function dump(): void;
/** As dump(); the part is called `name`. */
export function dumpAt(name: string): void;
/** Sets all costs to zero. */
export function zero(): void;
/** Switches collection off where it is on, and on where it is off. */
export function toggleCollect(): void;
/** Folds the functions of an object into their callers from now on. */
export function addObjSkip(path: string): void;
/** A line "name: value" for the header of the next part. */
export function addDesc(text: string): void;
/** Marks this moment on the timeline (--timeline=yes). */
export function mark(text: string): void;
/** Calls a function, which may be async; what it spends is a part called `name`. */
export function measure<Result>(name: string, call: () => Result): Result;
