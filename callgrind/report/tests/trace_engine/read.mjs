// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads a file of trace events as the Performance panel of Chrome's DevTools does, and
// prints what the panel draws: of each thread its number, name and calls, with the depth
// of each, and whether the panel finds its category, without which it shows no details.

import fs from "node:fs";
import { polyfillDOMRect } from "@paulirish/trace_engine/analyze-trace.mjs";
import * as Trace from "@paulirish/trace_engine/models/trace/trace.js";

polyfillDOMRect();
const { traceEvents } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const model = Trace.TraceModel.Model.createWithAllHandlers();
await model.parse(traceEvents);
const threads = Trace.Handlers.Threads.threadsInTrace(model.parsedTrace().data);
const found = threads.map(({ pid, tid, name, entries, entryToNode }) => ({
  pid, tid, name,
  calls: entries.map((entry) => ({
    name: entry.name, begin: entry.ts, duration: entry.dur,
    depth: entryToNode.get(entry).depth,
    hasCategory: Trace.Helpers.Trace.eventHasCategory(entry, "call"),
  })),
}));
process.stdout.write(JSON.stringify(found));
