// A browser window on the pages of a server, in which anything that loads from elsewhere, opens a dialog or reports an error is a failure.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
let passed = 0;
const failures = new Set();

const check = (name, well, more = "") => {
  if (well) passed += 1;
  else failures.add(`${name} ${more}`);
};

export async function open(address, { width, scripts, scheme }) {
  const named = `${width} px, scripts ${scripts ? "on" : "off"}, ${scheme}`;
  const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled: scripts, colorScheme: scheme });
  const page = await context.newPage();
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && failures.add(`${named}: console: ${message.text()} ${message.location().url.slice(0, 300)}`));
  page.on("pageerror", (error) => failures.add(`${named}: ${error.message}`));
  page.on("dialog", (dialog) => { failures.add(`${named}: a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (!request.url().startsWith(address) && !request.url().startsWith("data:")) failures.add(`${named}: loads ${request.url()}`);
  });
  const fits = async (view) => {
    const wide = scripts ? await page.evaluate(() => document.documentElement.scrollWidth - innerWidth) : 0;
    check(`${named}: ${view} fits`, wide <= 0, `by ${wide} px`);
  };
  // Fits its window, and has no serious fault of accessibility.
  const look = async (view, pictures) => {
    await fits(view);
    if (scripts) {
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
      const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
      const said = serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
      check(`${named}: ${view} is accessible`, !serious.length, said.join("; "));
    }
    if (pictures) await page.screenshot({ path: `${pictures}/${view}-${width}-${scripts ? "on" : "off"}-${scheme}.png` });
  };
  return { page, context, named, check, fits, look, close: () => context.close() };
}

export async function report() {
  await browser.close();
  for (const failure of failures) console.log(`FAIL  ${failure}`);
  console.log(`${passed} passed, ${failures.size} failed`);
  process.exit(failures.size ? 1 : 0);
}
