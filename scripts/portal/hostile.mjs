// Hostile papers, and a walk over all pages of a server that has them:
//   node hostile.mjs write DIR
//   node hostile.mjs walk ADDRESS
// Nothing of their titles, names, tags and texts may run, load anything, or make a page wider than its window.
import { mkdirSync, writeFileSync } from "node:fs";

const SCRIPT = "<script>globalThis.ran = 1; alert(1)</script>";
const IMAGE = '"><img src=https://example.org/x.png onerror="globalThis.ran = 1">';
const LONG = "W".repeat(10_000);
const TURNED = "\u202e\u2067 abc \u05d0\u05d1\u05d2 \u0627\u0644\u0646\u0648\u0645";
const QUESTION = "How many hours did the badgers sleep?";
const TEXTS = [["script", SCRIPT], ["image", IMAGE], ["long", LONG], ["turned", TURNED]];

const [what, where] = process.argv.slice(2);
if (what === "write") {
  mkdirSync(where, { recursive: true });
  const rows = ["source_id,title,authors,year,venue,tags"];
  const cell = (text) => `"${text.replaceAll('"', '""')}"`;
  for (const [name, text] of TEXTS) {
    const file = `${name}${name === "image" ? " <img src=x onerror=alert(1)>" : ""}.md`;
    const body = [
      `# A trial of badgers ${text}`, "## Abstract", `The badgers slept ${text} soundly. Sleep was counted by night in all setts, which ${name} has.`,
      `## Results ${text}`, `In the sett ${name}, the badgers slept for nine hours, ${text} as the cameras of the trial show.`,
      "| Sett | Badgers, n | Hours |", "|---|---|---|", `| ${text.replaceAll("|", "")} | 12 | 9 |`,
    ];
    writeFileSync(`${where}/${file}`, body.join("\n\n").replaceAll("|\n\n|", "|\n|"));
    rows.push([name, `Badgers ${text}`, `${text}; Anna ${text}`, "2021", `Journal ${text}`, text].map(cell).join(","));
  }
  writeFileSync(`${where}/manifest.csv`, rows.join("\n"));
  writeFileSync(`${where}/<b onclick=alert(1)>broken.pdf`, "%PDF-1.7 no more");
} else {
  const { open, report } = await import("./walk.mjs");
  for (const [width, scripts] of [[1280, true], [390, true], [1280, false]]) {
    const { page, named, check, close, fits } = await open(where, { width, scripts, scheme: "light" });
    const look = async (view) => {
      if (scripts) {
        const [ran, foreign] = await page.evaluate(() => [globalThis.ran, document.querySelectorAll("main img, main script, main iframe, [onerror], [onload], [onclick]").length]);
        check(`${named}: hostile ${view}: nothing runs`, ran === undefined && foreign === 0, `${ran} ${foreign}`);
      }
      await fits(`hostile ${view}`);
    };
    for (const question of [QUESTION, `${QUESTION} ${SCRIPT}`, `${IMAGE} ${TURNED} ${LONG.slice(0, 9_000)}`]) {
      await page.goto(where);
      await page.fill("#question", question);
      await page.click("#ask button[type=submit]");
      await page.waitForSelector("article.answer", { timeout: 60_000 });
      await look("answer");
      if (!(await page.locator("a.mark").count())) continue;
      await page.click("a.mark");
      await page.waitForSelector("#pane section.paper", { timeout: 60_000 });
      await look("page");
      await page.fill("form.keep input[name=table] >> nth=0", `${IMAGE}${LONG.slice(0, 80)}`.slice(0, 100));
      await page.locator("form.keep button").first().click();
      if (scripts) {
        await page.waitForSelector("p.note:has-text('Kept in')");
        await look("kept");
        await page.goto(`${where}/evidence`);
      }
      await page.waitForSelector("table.evidence");
      await page.fill("table.evidence input[name=note] >> nth=0", IMAGE + TURNED + LONG.slice(0, 1_800));
      await page.locator("table.evidence form.change button").first().click();
      await page.waitForSelector("table.evidence");
      await look("evidence");
    }
    const papers = JSON.parse(await (await page.request.get(`${where}/v1/papers`)).text()).sources;
    check(`${named}: hostile papers are there`, papers.length === TEXTS.length, `${papers.length}`);
    for (const { source_id } of papers) {
      await page.goto(`${where}/paper/${encodeURIComponent(source_id)}/page/1?quote=${encodeURIComponent(IMAGE)}`);
      await look("paper");
    }
    for (const view of ["library", "history", "gaps", "evaluation", "evidence", `library?words=${encodeURIComponent(SCRIPT)}`]) {
      await page.goto(`${where}/${view}`);
      check(`${named}: hostile ${view} has a heading`, (await page.locator("h1").count()) === 1);
      await look(view);
    }
    await close();
  }
  await report();
}
