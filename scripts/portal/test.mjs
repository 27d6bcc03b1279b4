// Walks through the web pages of a running server, wide and narrow, with and without scripts:
//   node test.mjs ADDRESS QUESTION UNANSWERABLE [PICTURES]
// A page fails if it loads anything from elsewhere, reports an error, is wider than the window, or axe finds a serious fault.
import { open, report } from "./walk.mjs";

const [address, question, unanswerable, pictures] = process.argv.slice(2);

for (const [width, scripts, scheme] of [[1280, true, "light"], [1280, true, "dark"], [390, true, "light"], [1280, false, "light"], [390, false, "light"]]) {
  const { page, context, named, check, look: seen, close } = await open(address, { width, scripts, scheme });
  const look = (view) => seen(view, pictures);
  const ask = async (text) => {
    await page.goto(address);
    await page.fill("#question", text);
    await page.click("#ask button[type=submit]");
    await page.waitForSelector("article.answer", { timeout: 60_000 });
    check(`${named}: an answer has an address`, page.url().includes("/answer/"), page.url());
  };

  await page.goto(address);
  if (scripts) await page.waitForSelector(".examples button", { timeout: 120_000 });
  await look("ask");
  await ask(question);
  await look("answer");
  check(`${named}: marks`, (await page.locator("a.mark").count()) > 0);
  if (scripts && width > 400) {
    await page.hover("a.mark");
    await page.waitForSelector(".card:popover-open", { timeout: 10_000 });
    await look("card");
    await page.keyboard.press("Escape");
    check(`${named}: Escape closes the card`, (await page.locator(".card:popover-open").count()) === 0);
  }
  await page.click("a.mark");
  await page.waitForSelector("#pane .sheet image", { timeout: 60_000 });
  check(`${named}: the quote is marked`, (await page.locator("#pane rect.quoted").count()) > 0);
  check(`${named}: the address names the quote`, page.url().endsWith("?cite=1"), page.url());
  await look("page");
  await page.reload();
  check(`${named}: after a reload too`, (await page.locator("#pane rect.quoted").count()) > 0);
  if (scripts) {
    await page.locator("body").press("n");
    const several = (await page.locator("ol.quotes > li").count()) > 1;
    if (several) await page.waitForURL(/cite=2$/, { timeout: 60_000 }).catch(() => {});
    check(`${named}: a key opens the next quote`, !several || page.url().endsWith("?cite=2"), page.url());
  }
  if (scripts) {
    // A page that is kept open stays beside the next question, which Enter sends, and after a reload.
    await page.locator("#pane [data-pin] input").check();
    await page.locator("[data-enter] input").check();
    const old = page.url().split("?")[0];
    await page.fill("#question", question);
    await page.press("#question", "Enter");
    await page.waitForURL((url) => url.pathname.startsWith("/answer/") && !url.href.startsWith(old), { timeout: 60_000 });
    const stays = async () => (await page.waitForSelector("#pane .sheet", { timeout: 60_000 }).catch(() => undefined)) !== undefined;
    check(`${named}: Enter asks, and the page stays`, await stays());
    await page.reload();
    check(`${named}: it stays after a reload`, await stays());
    const saved = page.waitForEvent("download", { timeout: 60_000 });
    await page.click("#pane [data-file]");
    check(`${named}: the PDF is saved`, (await saved).suggestedFilename().endsWith("-quotes.pdf"));
  }
  await page.click("#pane [data-close]");
  await page.waitForURL((url) => url.pathname.startsWith("/answer/") && !url.search);
  check(`${named}: the page closes`, (await page.locator("#pane .sheet").count()) === 0);
  await page.locator(".grade input[name=grade][value='4']").check();
  await page.fill(".grade input[name=note]", "<b>right</b>");
  await page.click(".grade button[type=submit]");
  await page.waitForSelector("article.answer");
  check(`${named}: a grade is kept`, await page.locator(".grade input[value='4']").isChecked());
  await page.locator("form.keep button").first().click();
  if (scripts) {
    await page.waitForSelector("p.note:has-text('Kept in')");
    await page.goto(`${address}/evidence`);
  }
  await page.waitForSelector("table.evidence");
  check(`${named}: a quote is kept`, (await page.locator("table.evidence tbody tr").count()) > 0);
  await look("evidence");
  await page.locator("table.evidence button[name=remove]").first().click();
  await page.waitForLoadState();

  await ask(unanswerable);
  check(`${named}: a refusal says so`, (await page.locator(".refusal").count()) === 1);
  await look("refusal");
  for (const view of ["library", "history", "gaps", "evaluation"]) {
    await page.goto(`${address}/${view}`);
    check(`${named}: ${view} has a heading`, (await page.locator("h1").count()) === 1);
    await look(view);
  }

  // The library: sorting, metadata, an upload that is refused, and one that cannot be read and is tried again.
  await page.goto(`${address}/library`);
  await page.locator("table.papers thead a", { hasText: "Year" }).click();
  await page.waitForURL(/sort=year$/);
  check(`${named}: sorted by year`, (await page.locator("th[aria-sort=ascending]").textContent()).startsWith("Year"));
  await page.locator("a.edit").first().click();
  await page.waitForSelector("form.fields");
  await look("metadata");
  await page.goto(`${address}/library`);
  const [wrong, torn] = [["notes.xlsx", "PK"], ["torn.pdf", "%PDF-1.4 torn"]].map(([name, text]) => ({ name, mimeType: "", buffer: Buffer.from(text) }));
  if (scripts) {
    await page.setInputFiles(".drop [type=file]", wrong);
    await page.click(".drop button");
    check(`${named}: a wrong type is named at once`, (await page.locator(".drop [role=status]").textContent()).includes("notes.xlsx"));
    const data = await page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "torn.pdf"));
      return transfer;
    }, "%PDF-1.4 torn");
    await page.dispatchEvent(".drop", "drop", { dataTransfer: data });
  } else {
    await page.setInputFiles(".drop [type=file]", torn);
    await page.click(".drop button");
  }
  await page.waitForURL(/job=/);
  const indexed = async () => {
    for (let at = 0; at < 60 && !(await page.locator(".job", { hasText: "Indexed:" }).count()); at += 1) {
      await page.waitForTimeout(500);
      if (!scripts) await page.reload();
    }
  };
  await indexed();
  check(`${named}: the upload ends`, (await page.locator(".job", { hasText: "Indexed: 0 added" }).count()) === 1);
  await page.reload();
  check(`${named}: its row survives`, (await page.locator(".job .files", { hasText: "torn.pdf" }).count()) === 1);
  await look("upload");
  const first = page.url();
  await page.getByRole("button", { name: "Retry torn.pdf" }).click();
  await page.waitForURL((url) => url.href !== first);
  await indexed();
  check(`${named}: it is tried again`, (await page.locator(".job", { hasText: "1 not read" }).count()) === 1);
  await page.getByRole("button", { name: "Delete torn.pdf" }).click();
  await page.waitForURL((url) => url.href !== first && url.search.includes("job="));
  for (let at = 0; at < 60 && (await page.locator(".failed", { hasText: "torn.pdf" }).count()); at += 1) {
    await page.waitForTimeout(500);
    await page.reload();
  }
  check(`${named}: a file that cannot be read is deleted`, (await page.locator(".failed", { hasText: "torn.pdf" }).count()) === 0);
  // A table over papers, an answer then and now, a copy of an answer.
  await page.goto(`${address}/table`);
  await page.fill("form.fields [name=name]", "<b>Facts</b>");
  await page.fill("form.fields [name=questions]", `Asked: ${question}\n${unanswerable}`);
  await page.click("form.fields button[type=submit]");
  await page.waitForSelector("table.grid");
  const waiting = page.locator(".grid .absent", { hasText: "not asked yet" });
  for (let seconds = 0; seconds < 120 && (await waiting.count()); seconds += 1) {
    await page.waitForTimeout(1000);
    await page.reload();
  }
  check(`${named}: every cell is asked`, (await waiting.count()) === 0);
  check(`${named}: a cell without an answer says so`, (await page.locator(".grid .absent", { hasText: "not found" }).count()) > 0);
  await look("table");
  if (scripts) {
    await page.locator(".grid a.mark").first().focus();
    await page.waitForSelector(".card:popover-open", { timeout: 10_000 });
    await look("table-card");
  }
  await page.locator(".grid a.mark").first().click();
  await page.waitForSelector(".alone .sheet image", { timeout: 60_000 });
  check(`${named}: a cell opens its quote`, (await page.locator("rect.quoted").count()) > 0);
  await ask(question);
  if (scripts) {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("[data-fetch]").first().click();
    await page.waitForSelector("button:text-is('Copied')", { timeout: 10_000 });
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    check(`${named}: an answer is copied with its sources`, copied.includes(question) && copied.includes("Confidence"), copied);
  }
  await page.click("form[action$='/again'] button");
  await page.waitForSelector(".sides", { timeout: 60_000 });
  check(`${named}: nothing changed`, (await page.locator(".sides .flag:not(.same)").count()) === 0);
  await look("then-and-now");
  await close();
}
await report();
