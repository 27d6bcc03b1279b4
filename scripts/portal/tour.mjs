// Takes the pictures of docs/portal.md, of a server over the sample papers with runs of `eval` in its log:
//   node tour.mjs ADDRESS DIR
import { mkdirSync } from "node:fs";
import { open, report } from "./walk.mjs";

const [address, pictures] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const { page, check, close } = await open(address, { width: 1280, scripts: true, scheme: "light" });
const take = (name) => page.screenshot({ path: `${pictures}/${name}.jpg`, type: "jpeg", quality: 72 });
const ask = async (question) => {
  await page.goto(address);
  await page.fill("#question", question);
  await page.click("#ask button[type=submit]");
  await page.waitForSelector("article.answer", { timeout: 60_000 });
};
await page.setViewportSize({ width: 1280, height: 760 });

await page.goto(address);
await page.waitForSelector(".examples button", { timeout: 120_000 });
await take("ask");

await ask("How did coupled respiration of muscle fibres change with metformin and with placebo?");
await page.hover("a.mark");
await page.waitForSelector(".card:popover-open");
await take("answer");
await page.click("a.mark");
await page.waitForSelector("#pane .sheet image");
await page.waitForTimeout(1500);
await take("page");
await page.locator("form.keep button").first().click();
await page.waitForSelector("p.note:has-text('Kept in')");
await page.goto(`${address}/evidence`);

await ask("Why did three participants leave the metformin study early?");
const answer = page.url();
await page.locator("form.keep button").first().click();
await page.waitForSelector("p.note:has-text('Kept in')");
await page.goto(`${address}/evidence`);
await page.fill("table.evidence input[name=note] >> nth=0", "for the introduction");
await page.selectOption("table.evidence select[name=verdict] >> nth=0", "agree");
await page.locator("table.evidence form.change button").first().click();
await take("evidence");

await ask("How did tai chi affect falls in SUNDOWN?");
await take("refusal");

await page.goto(`${address}/table`);
await page.fill("form.fields [name=name]", "Trials");
await page.fill("form.fields [name=questions]", "How many participants were randomised?\nWhat was the primary outcome?\nWhich adverse events occurred?");
await page.click("form.fields button[type=submit]");
await page.waitForSelector("table.grid");
for (let seconds = 0; seconds < 240 && (await page.locator(".grid .absent", { hasText: "not asked yet" }).count()); seconds += 2) {
  await page.waitForTimeout(2000);
  // The page follows the table by itself, which ends a reload.
  await page.reload().catch(() => {});
}
await take("table");

await page.goto(`${address}/library`);
await page.waitForTimeout(1000);
await take("library");
await page.goto(answer);
await page.click("form[action$='/again'] button");
await page.waitForSelector(".sides", { timeout: 60_000 });
await take("then-and-now");
await page.goto(`${address}/gaps`);
await take("gaps");
await page.goto(`${address}/evaluation`);
await take("evaluation");
const run = page.locator("main a[href*='/evaluation/run']").first();
if (await run.count()) {
  await run.click();
  const question = page.locator("main a[href*='/evaluation/run']").first();
  await question.click();
  await page.waitForLoadState();
  await take("stages");
}
check("pictures", true);
await close();
await report();
