"""Fetches open-access papers by DOI, one at a time, and keeps only what passes a check. Standard library only."""

import argparse
import contextlib
import csv
import fcntl
import html.parser
import http.client
import http.cookiejar
import os
import pathlib
import re
import signal
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESOLVER = "https://doi.org"
AGENT = "pipeline-fetch-corpus/1 (fetches the open-access papers of corpus/open-papers.csv, one at a time)"
COLUMNS = ["source_id", "title", "doi", "licence"]
# Licences that let anyone make and keep a copy. A version is left out where the paper prints none.
OPEN = re.compile(r"CC0-1\.0|CC-BY(-NC)?(-SA|-ND)?(-[1-4]\.\d)?")
PAGE_FIRST = "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.5"
PDF_FIRST = "application/pdf,*/*;q=0.1"
PDF_BYTES = range(20_000, 64 << 20)
PAGE_BYTES = 4 << 20
UNPACKED_BYTES = 96 << 20
# No single wait for a host is longer than this; the time for a paper as a whole is --timeout.
WAIT_SECONDS = 10


class Trouble(Exception):
    """Why a paper, or one address, gave no file."""


class Unreachable(Trouble):
    """No connection to a host."""


class TimeUp(Exception):
    """The time for a paper is over. No OSError, as urllib would take it for a failed connection."""


def fail(message, hint):
    print(f"fetch: error: {message}\nfetch: hint: {hint}", file=sys.stderr)
    sys.exit(2)


def shown(path):
    """A path as a reader at the root of the project would write it."""
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


# ---- the list ----


def read_list(path):
    """The rows of the list; ends the program with the line number where one is wrong."""
    hint = f"the columns are {','.join(COLUMNS)}; see corpus/README.md"
    rows, seen = [], set()
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            if reader.fieldnames != COLUMNS:
                fail(f"{shown(path)}:1: the columns are {reader.fieldnames}", hint)
            for row in reader:
                where = f"{shown(path)}:{reader.line_num}"
                if None in row or None in row.values():
                    fail(f"{where}: not {len(COLUMNS)} fields", hint)
                if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", row["source_id"]):
                    fail(f"{where}: source_id {row['source_id']!r} would be no plain file name", "use a-z, 0-9 and _")
                if row["source_id"] in seen:
                    fail(f"{where}: source_id {row['source_id']} stands here a second time", "give each paper its own")
                if not re.fullmatch(r"10\.\d{4,9}/[!-~]+", row["doi"]):
                    fail(f"{where}: {row['doi']!r} is no DOI", "write it without an address, as in 10.1234/abc")
                if not row["title"].strip():
                    fail(f"{where}: no title", hint)
                seen.add(row["source_id"])
                rows.append(row)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        fail(f"cannot read {shown(path)}: {error}", hint)
    if not rows:
        fail(f"{shown(path)} lists no papers", hint)
    return rows


# ---- fetching ----


class Redirects(urllib.request.HTTPRedirectHandler):
    def __init__(self, web):
        self.web = web

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        time.sleep(self.web.pause)
        return super().redirect_request(req, fp, code, msg, headers, self.web.toward(newurl))


class Web:
    """Requests with cookies kept from one to the next, as landing pages want them."""

    def __init__(self, resolver, pause):
        self.resolver = resolver.rstrip("/")
        # Over plain http only when the resolver itself is given so.
        self.tls = self.resolver.startswith("https://")
        self.pause = pause
        # The host being asked, redirects included, and how often each could not be reached.
        self.host, self.failures = "", {}
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(jar, Redirects(self))

    def doi(self, doi):
        return f"{self.resolver}/{urllib.parse.quote(doi, safe='/')}"

    def allowed(self, url):
        """The address with odd characters escaped, over https; never a file or another kind of service."""
        url = urllib.parse.quote(url.strip(), safe="%/:=&?~#+!$,;'@()*[]")
        scheme, rest = url.split(":", 1) if ":" in url else ("", url)
        if scheme.lower() not in ("http", "https") or not rest.startswith("//"):
            raise Trouble(f"refused the address {url[:80]}, which is not on the web")
        return f"https:{rest}" if self.tls else url

    def toward(self, url):
        """The address to ask, unless its host has failed twice: the papers of one publisher need not all wait."""
        url = self.allowed(url)
        self.host = urllib.parse.urlsplit(url).netloc
        if self.failures.get(self.host, 0) >= 2:
            raise Unreachable(f"{self.host} could not be reached before")
        return url

    def get(self, url, accept, referer=None, method="GET"):
        """The final address and the body: a PDF whole, anything else up to PAGE_BYTES."""
        url = self.toward(url)
        headers = {"User-Agent": AGENT, "Accept": accept, "Accept-Encoding": "identity"}
        if referer:
            headers["Referer"] = referer
        try:
            request = urllib.request.Request(url, headers=headers, method=method)
            with self.opener.open(request, timeout=WAIT_SECONDS) as answer:
                return answer.geturl(), body(answer)
        except urllib.error.HTTPError as error:
            error.close()
            hints = dict.fromkeys((401, 403, 429, 503), "; it may turn programs away: use a browser")
            hints |= dict.fromkeys(range(300, 400), "; it redirects without end")
            raise Trouble(f"HTTP {error.code} from {self.host}{hints.get(error.code, '')}") from error
        except urllib.error.URLError as error:
            self.failures[self.host] = self.failures.get(self.host, 0) + 1
            raise Unreachable(f"no connection to {self.host}: {error.reason}") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Trouble(f"the connection to {self.host} failed: {str(error) or type(error).__name__}") from error
        finally:
            time.sleep(self.pause)


def body(answer):
    data = answer.read(5)
    pdf = data == b"%PDF-"
    most = PDF_BYTES.stop if pdf else PAGE_BYTES
    while len(data) <= most and (block := answer.read(1 << 16)):
        data += block
    if not pdf:
        return data[:PAGE_BYTES]
    if len(data) > most:
        raise Trouble(f"the PDF has more than {most >> 20} MiB")
    # A connection that ends early is no error to http.client when it is read in blocks.
    length = answer.headers.get("Content-Length", "")
    if length.isdigit() and int(length) != len(data):
        raise Trouble(f"the connection ended after {len(data)} of {length} bytes")
    return data


class Landing(html.parser.HTMLParser):
    """What a landing page says about its PDF: addresses in order of trust, its DOI, where it forwards to."""

    def __init__(self, page, url):
        super().__init__()
        self.url, self.metas, self.links, self.dois, self.forward = url, [], [], [], None
        self.feed(page.decode("utf-8", "replace"))
        self.pdfs = list(dict.fromkeys(self.metas + self.links))[:3]

    def handle_starttag(self, tag, attrs):
        pairs = {name: value or "" for name, value in attrs}
        name = (pairs.get("name") or pairs.get("property") or "").lower()
        value = pairs.get("content", "").strip()
        with contextlib.suppress(ValueError):
            if tag == "base" and pairs.get("href"):
                self.url = urllib.parse.urljoin(self.url, pairs["href"])
            elif tag == "meta" and name == "citation_pdf_url" and value:
                self.metas.append(urllib.parse.urljoin(self.url, value))
            elif tag == "meta" and name in ("citation_doi", "dc.identifier", "prism.doi"):
                self.dois.append(re.sub(r"^(doi:\s*|https?://(dx\.)?doi\.org/)", "", value.lower()))
            elif tag == "link" and pairs.get("type") == "application/pdf" and pairs.get("href"):
                self.links.append(urllib.parse.urljoin(self.url, pairs["href"]))
            elif tag == "meta" and pairs.get("http-equiv", "").lower() == "refresh":
                if found := re.search(r"url\s*=\s*['\"]?([^'\"]+)", value, re.IGNORECASE):
                    self.forward = urllib.parse.urljoin(self.url, found[1])


def is_pdf(data):
    return data.startswith(b"%PDF-")


def download(web, paper):
    """The PDF and whether its landing page names the DOI: at the DOI itself, by its landing page, or by content type."""
    url, data = web.get(web.doi(paper["doi"]), PAGE_FIRST)
    page = None
    for _ in range(4):
        if is_pdf(data):
            return data, False
        page = Landing(data, url)
        if page.pdfs or not page.forward:
            break
        url, data = web.get(page.forward, PAGE_FIRST, url)
    named = paper["doi"].lower() in page.dois
    said = [f"{urllib.parse.urlsplit(url).netloc} names no PDF"] if not page.pdfs else []
    for address, referer in [(a, url) for a in page.pdfs] + [(web.doi(paper["doi"]), None)]:
        try:
            _, data = web.get(address, PDF_FIRST, referer)
        except Trouble as error:
            said.append(str(error))
            continue
        if is_pdf(data):
            return data, named
        said.append(f"{urllib.parse.urlsplit(address).netloc} sent no PDF but {data[:24]!r}")
    raise Trouble("; ".join(dict.fromkeys(said)))


@contextlib.contextmanager
def time_limit(seconds):
    """Ends a slow paper even when its host sends a byte now and then."""

    def over(_signal, _frame):
        raise TimeUp

    before = signal.signal(signal.SIGALRM, over)
    # Again each second, as an exception raised while an object is being discarded is lost.
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# ---- checking ----


def normal(text):
    return re.sub(r"[^a-z0-9]", "", text.lower())


def unpacked(data):
    """The compressed parts of a PDF, unpacked: page contents, objects, metadata. Pictures and the like are left out."""
    room = UNPACKED_BYTES
    for found in re.finditer(rb"stream\r?\n", data):
        if room <= 0:
            return
        if data[found.start() - 3 : found.start()] == b"end":
            continue
        with contextlib.suppress(zlib.error):
            part = zlib.decompressobj().decompress(data[found.end() :], min(room, 8 << 20))
            room -= len(part)
            yield part


def check(data, paper, named=False):
    """How the file was recognised; raises Trouble when it is no whole PDF or another paper's.

    A PDF need not give its text to so simple a reader (encryption, fonts with glyph numbers). One that gives text
    without the DOI and without the first words of the title is refused, one that gives none is kept and reported.
    """
    if not is_pdf(data):
        raise Trouble(f"no PDF: starts with {data[:8]!r}")
    if len(data) not in PDF_BYTES:
        raise Trouble(f"{len(data)} bytes; a paper has {PDF_BYTES.start:,} to {PDF_BYTES.stop:,}")
    if b"%%EOF" not in data[-4096:]:
        raise Trouble("the PDF is cut off: no end mark")
    doi = re.compile(re.escape(paper["doi"].encode()) + rb"(?!\d)", re.IGNORECASE)
    title = normal(" ".join(paper["title"].split()[:5]))
    strings = []
    for part in (data, *unpacked(data)):
        if doi.search(part):
            return "has the DOI"
        if part is not data:
            # What stands between brackets is text; kerning cuts words, so they are joined again.
            strings += re.findall(rb"\(((?:[^()\\]|\\.)*)\)", part, re.DOTALL)
    text = normal(b"".join(strings).decode("latin-1"))
    if normal(paper["doi"]) in text:
        return "has the DOI"
    if len(title) >= 12 and title in text:
        return "has the title"
    if named:
        return "its page names the DOI"
    if text.count("the") >= 50:
        raise Trouble("another document: neither the DOI nor the title's first words are in it")
    return "not recognised: look at it"


# ---- the run ----


@contextlib.contextmanager
def alone(folder):
    """One run at a time writes into a folder; what a killed run left behind goes."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fail(f"another run is writing into {shown(folder)}", "wait for it to end")
        for part in folder.glob(".*.part"):
            part.unlink(missing_ok=True)
        yield


def keep(data, target):
    """Writes the whole file under a name of its own first, so that no partial paper is ever seen."""
    handle, part = tempfile.mkstemp(prefix=f".{target.stem}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(part, 0o644)
        os.replace(part, target)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


def by_hand(folder, papers):
    rows = "\n".join(f"    {shown(folder / paper['source_id'])}.pdf  {RESOLVER}/{paper['doi']}" for paper in papers)
    return f"fetch these with a browser, save them under these names, and run this again to have them checked:\n{rows}"


def one(web, paper, target, seconds):
    """Fetches one paper; what happened, and whether it is there now."""
    try:
        with time_limit(seconds):
            data, named = download(web, paper)
            how = check(data, paper, named)
    except TimeUp:
        return "missing", f"took longer than {seconds:g} s"
    except Trouble as error:
        return "missing", str(error)
    keep(data, target)
    return "fetched", f"{len(data):,} bytes, {how}"


def there(paper, target):
    """Whether a file that lies there already is the paper. It is not ours to delete if not."""
    try:
        return "there", check(target.read_bytes(), paper)
    except (OSError, Trouble) as error:
        return "bad", f"{error}; delete it to have it fetched"


def reach(web):
    """One request before all others, so that a machine without a way out hears so at once."""
    try:
        with time_limit(WAIT_SECONDS):
            web.get(web.resolver, "*/*", method="HEAD")
    except Unreachable as error:
        return str(error)
    except TimeUp:
        return f"no answer from {web.resolver} in {WAIT_SECONDS} s"
    except Trouble:
        # An answer all the same.
        pass
    return None


def run(options):
    folder, papers = options.into.absolute(), read_list(options.list)
    web = Web(options.resolver, options.pause)
    done = {"fetched": 0, "there": 0, "missing": 0, "bad": 0, "not open": 0}

    def line(paper, state, note):
        done[state] += 1
        print(f"{state:8}  {paper['source_id']:44}  {paper['licence']:9}  {note}", flush=True)

    with alone(folder):
        todo, left = [], []
        for paper in papers:
            target = folder / f"{paper['source_id']}.pdf"
            if target.exists():
                state, note = there(paper, target)
                line(paper, state, note)
            elif not OPEN.fullmatch(paper["licence"]):
                line(paper, "not open", "not fetched: a licence that this script does not know to allow it")
            else:
                todo.append((paper, target))
        if todo and (reason := reach(web)):
            names = [paper for paper, _ in todo]
            fail(f"{len(todo)} of {len(papers)} papers are missing and nothing can be reached: {reason}", by_hand(folder, names))
        for paper, target in todo:
            state, note = one(web, paper, target, options.timeout)
            line(paper, state, note)
            if state == "missing":
                left.append(paper)
    counts = ", ".join(f"{count} {state}" for state, count in done.items() if count)
    print(f"{len(papers)} listed: {counts}; in {shown(folder)}")
    if left:
        print(by_hand(folder, left))
    return 0 if done["fetched"] + done["there"] == len(papers) else 1


def positive(text):
    value = float(text)
    if not 0 < value < 86_400:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and below a day")
    return value


def seconds(text):
    return 0.0 if float(text) == 0 else positive(text)


def address(text):
    parts = urllib.parse.urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise argparse.ArgumentTypeError(f"{text!r} is no http or https address")
    return text


def arguments():
    parser = argparse.ArgumentParser(
        prog="scripts/fetch_corpus.sh",
        description="Fetches the openly licensed papers of a list by their DOIs, one at a time, and checks each.",
        epilog="Exit code 0: all are there; 1: some are missing; 2: error, such as no way to the publishers.",
    )
    parser.add_argument("--list", type=pathlib.Path, default=ROOT / "corpus" / "open-papers.csv", metavar="FILE",
                        help=f"papers as {','.join(COLUMNS)} (corpus/open-papers.csv)")
    parser.add_argument("--into", type=pathlib.Path, default=ROOT / "open-papers", metavar="FOLDER",
                        help="where they go, as SOURCE_ID.pdf (open-papers)")
    parser.add_argument("--timeout", type=positive, default=120.0, metavar="S", help="most seconds for one paper (120)")
    parser.add_argument("--pause", type=seconds, default=1.0, metavar="S", help="seconds between two requests (1)")
    parser.add_argument("--resolver", type=address, default=RESOLVER, metavar="URL",
                        help=f"what a DOI is appended to ({RESOLVER}); with an http address, which is for trying this "
                             "out, redirects are not turned into https")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        sys.exit(run(arguments()))
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        fail(f"cannot write: {error}", "choose a folder with --into")
