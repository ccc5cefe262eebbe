// SPDX-License-Identifier: GPL-2.0-or-later
//
// A browser that does what it is told: one request per line of standard input, a JSON
// array of a name and arguments; one answer per line, {"ok": value} or {"error": text}.
//
// Owns: the names below, and nothing of the page.  `problems` are errors in the page and
// requests for anything but files.
//
//    node driver.mjs CHROMIUM

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const PATIENCE = 600000; // milliseconds: a safety net, no measurement

const browser = await chromium.launch({
  timeout: PATIENCE,
  executablePath: process.argv[2],
  args: process.getuid() === 0 ? ["--no-sandbox"] : [],
});
let page = null;
let session = null; // with its debugger
let problems = [];

// Until the page has unpacked its numbers.
const ready = () => page.locator("html[data-state=ready]").waitFor({ state: "attached" });

async function newPage(options) {
  if (page) await page.close();
  problems = [];
  session = null;
  page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  page.setDefaultTimeout(PATIENCE);
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) problems.push(request.url());
  });
}

const actions = {
  async open(path, options, fragment) {
    await newPage(options);
    await page.goto(`file://${encodeURI(path)}${fragment || ""}`);
    await ready();
  },
  // A page that is not ours: until a text is in it.
  async open_until(path, options, fragment, text) {
    await newPage(options);
    await page.goto(`file://${encodeURI(path)}${fragment || ""}`);
    await page.getByText(text).first().waitFor();
  },
  // CPU seconds of the page's thread since the first call for this page; of a blank one,
  // if there is none.
  async thread_seconds() {
    if (!page) await newPage({});
    if (!session) {
      session = await page.context().newCDPSession(page);
      await session.send("Performance.enable", { timeDomain: "threadTicks" });
    }
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration").value;
  },
  // Opens another document in the same page.
  async go(path) {
    await page.goto(`file://${encodeURI(path)}`);
    await ready();
  },
  // The text of each element that matches, in order.
  texts: (selector) => page.locator(selector).allTextContents(),
  count: (selector) => page.locator(selector).count(),
  attributes: (selector, name) => page.locator(selector).evaluateAll(
    (found, wanted) => found.map((each) => each.getAttribute(wanted)), name),
  boxes: (selector) => page.locator(selector).evaluateAll((found) => found.map((each) => {
    const { x, y, width, height } = each.getBoundingClientRect();
    return { x, y, width, height };
  })),
  style: (selector, property) => page.locator(selector).first().evaluate(
    (found, wanted) => getComputedStyle(found)[wanted], property),
  click: (selector) => page.locator(selector).first().click(),
  fill: (selector, text) => page.locator(selector).fill(text),
  choose: (selector, label) => page.locator(selector).selectOption({ label }),
  focus: (selector) => page.locator(selector).focus(),
  press: (key) => page.keyboard.press(key),
  hover: (selector) => page.locator(selector).first().hover(),
  // At places of the window.
  move_to: (x, y) => page.mouse.move(x, y),
  click_at: (x, y) => page.mouse.click(x, y),
  double_click_at: (x, y) => page.mouse.dblclick(x, y),
  async drag(x, y, toX, toY) {
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(toX, toY, { steps: 5 });
    await page.mouse.up();
  },
  focused: () => page.evaluate(() => document.activeElement.id),
  evaluate: (script) => page.evaluate(script),
  // Until there is an element that matches with this text: of what the page does later.
  appears: (selector, text) =>
    page.locator(selector).filter({ hasText: text }).waitFor({ state: "attached" }),
  url: () => page.url(),
  back: () => page.goBack().then(() => null),
  forward: () => page.goForward().then(() => null),
  reload: () => page.reload().then(ready),
  // Saves what a click downloads.
  async download(selector, path) {
    const started = page.waitForEvent("download");
    await page.locator(selector).click();
    await (await started).saveAs(path);
  },
  media: (media) => page.emulateMedia({ media }).then(() => null),
  pdf: (path) => page.pdf({ path, printBackground: true }).then(() => null),
  // What axe-core finds fault with: [[rule, what it is, the elements]].
  async violations() {
    await page.evaluate(await readFile(axe, "utf-8"));
    const { violations } = await page.evaluate(() => axe.run());
    return violations.map(({ id, help, nodes }) =>
      [id, help, nodes.map(({ target }) => target.join(" "))]);
  },
  screenshot: (path) => page.screenshot({ path }).then(() => null),
  problems: () => problems,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...rest] = JSON.parse(line);
  let answer;
  try {
    answer = { ok: (await actions[name](...rest)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
