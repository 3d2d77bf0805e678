// Opens reports in headless Chromium: no error and no request, first paint within a second, every pane by clicks.
// usage: node check.mjs FOLDER REPORT.html…; screenshots go to FOLDER. Needs npm's puppeteer-core and Debian's chromium.
import { mkdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [folder, ...reports] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
});
let failed = false;
const check = (holds, what) => {
  if (!holds) {
    failed = true;
    console.error(`error: ${what}`);
  }
};

for (const report of reports) {
  const name = basename(report, ".html");
  const page = await browser.newPage();
  const problems = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && problems.push(m.text()));
  page.on("pageerror", (e) => problems.push(String(e)));
  page.on("request", (r) => r.url().startsWith("http") && problems.push(`request of ${r.url()}`));
  await page.setViewport({ width: 1400, height: 900 });
  await page.goto(pathToFileURL(resolve(report)).href);
  await page.waitForSelector("html[data-ready]");
  // Paint entries come late.
  await new Promise((done) => setTimeout(done, 300));
  const paint = await page.evaluate(() => performance.getEntriesByType("paint").find((e) => e.name === "first-contentful-paint")?.startTime);
  const shot = (what) => page.screenshot({ path: `${folder}/${name}-${what}.png` });
  for (const pane of ["graph", "timeline", "memory", "executables"]) {
    await page.click(`[data-tab=${pane}]`);
    await page.waitForSelector(`[data-pane=${pane}]:not([hidden])`);
    const shown = await page.$eval(`[data-pane=${pane}]`, (e) => e.querySelector("canvas, table, .empty") !== null && e.querySelector(".command code") !== null);
    check(shown, `${name}: nothing in ${pane}`);
    // A canvas that nothing was drawn on has one colour.
    const drawn = await page.$eval(`[data-pane=${pane}]`, (e) => {
      const canvas = e.querySelector("canvas");
      if (!canvas) return true;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size > 3;
    });
    check(drawn, `${name}: ${pane} is blank`);
    await shot(pane);
  }
  if (await page.$("[data-tab=import]")) {
    await page.click("[data-tab=import]");
    await page.waitForSelector("[data-pane=import] .stage-change");
    await page.click("[data-pane=import] .stage-change summary");
    await page.waitForFunction(() => document.querySelector("[data-pane=import] pre")?.textContent.length > 40);
    await shot("import");
    await page.click("[data-tab=executables]");
  }
  // The slowest kernel, and all that is known of it.
  await page.click("[data-executable]");
  for (const view of ["overview", "assembly", "stages", "code", "commands"]) {
    await page.click(`[data-detail=${view}]`);
    await page.waitForFunction(() => document.querySelector(".details .body")?.textContent.length > 40);
    if (view === "stages" && (await page.$(".stage-change"))) {
      await page.click(".stage-change summary");
      await page.waitForFunction(() => document.querySelector(".stage-change pre")?.textContent.length > 40);
    }
    if (view === "assembly" && (await page.$("pre.hot"))) {
      await page.click(".details .link");
      check(await page.$$eval("pre.hot .share", (all) => all.some((e) => e.textContent.includes("%"))), `${name}: no line is hot`);
    }
    await shot(`detail-${view}`);
  }
  if (await page.$("[data-detail=tuning]")) {
    await page.click("[data-detail=tuning]");
    check(await page.$eval(".details .body", (e) => e.querySelector("canvas, .trials tbody tr") !== null), `${name}: no trial is shown`);
    await shot("detail-tuning");
  }
  // What is selected is selected everywhere; a click on a node selects, too.
  await page.click("[data-tab=graph]");
  await shot("selected");
  await page.click(".close");
  check(await page.$eval(".details", (e) => !e.classList.contains("open")), `${name}: the details do not close`);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  for (const pane of ["graph", "timeline", "executables"]) {
    await page.click(`[data-tab=${pane}]`);
    await new Promise((done) => setTimeout(done, 50));
    await shot(`dark-${pane}`);
  }
  check(problems.length === 0, `${name}: ${problems.join("; ")}`);
  check(paint < 1000, `${name}: first paint after ${paint} ms`);
  console.log(`${name}: first paint after ${Math.round(paint)} ms`);
  await page.close();
}
await browser.close();
process.exit(failed ? 1 : 0);
