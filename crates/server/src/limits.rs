//! How much a client may ask for.

use std::time::Duration;

/// Bytes of a body with a question.
pub(crate) const QUESTION_BYTES: usize = 256 << 10;
/// Bytes of a body with one answer and its passages.
pub(crate) const ANSWER_BYTES: usize = 8 << 20;
/// Bytes of a file of answers.
pub(crate) const ANSWERS_BYTES: usize = 64 << 20;
/// Bytes of all bodies with answers at a time, each counted with what its route allows.
pub(crate) const BODIES_BYTES: usize = 512 << 20;
/// Values of a body of JSON, and of a file of answers.
pub(crate) const BODY_VALUES: usize = ANSWER_BYTES / 16;
pub(crate) const ANSWERS_VALUES: usize = ANSWERS_BYTES / 32;
/// What scoring an answer may cost, as [`lab::evaluate_run::cost`] counts: some ten seconds of a core. A file of answers may cost
/// a hundred times that.
pub(crate) const COST: u64 = 2_500_000_000;
pub(crate) const ANSWERS_COST: u64 = 100 * COST;
/// Rows of a file of answers.
pub(crate) const ROWS: usize = 5000;
/// Bytes of all files of an upload.
pub(crate) const UPLOAD_BYTES: usize = 512 << 20;
/// Files of an upload.
pub(crate) const UPLOAD_FILES: usize = 100;

/// Bytes of a message of the Model Context Protocol, and calls at a time over standard input.
pub(crate) const MCP_BYTES: usize = 1 << 20;
pub(crate) const STDIO_CALLS: usize = 64;

/// The time that an answer may take, reading of the body included.
pub(crate) const ANSWER_TIME: Duration = Duration::from_mins(1);
/// The time that an answer may take where a language model may be asked, whose calls have limits of their own.
pub(crate) const MODEL_TIME: Duration = Duration::from_mins(10);
/// The time that an upload may take.
pub(crate) const UPLOAD_TIME: Duration = Duration::from_mins(15);
/// The time in which a client sends a body that is no upload: less than the time of an answer, which ends with another error.
pub(crate) const BODY_TIME: Duration = Duration::from_secs(50);
/// The time in which a client sends the next part of an upload, or takes the next part of an answer.
pub(crate) const PART_TIME: Duration = Duration::from_secs(30);

/// Pages of papers that are read at a time, each by a process of its own.
pub(crate) const PAGES: usize = 4;

/// Connections at a time; further ones wait to be accepted.
pub(crate) const CONNECTIONS: usize = 4096;
/// The time in which a client sends the headers of a request.
pub(crate) const HEADER_TIME: Duration = Duration::from_secs(10);
/// Bytes of the headers of a request, and the number of them.
pub(crate) const HEADER_BYTES: usize = 64 << 10;
pub(crate) const HEADERS: usize = 100;

/// Requests of one key a second, and at once after a pause.
pub(crate) const RATE: u32 = 50;
pub(crate) const BURST: u32 = 200;

/// Questions that wait to be kept, and the time that an answer waits for that.
pub(crate) const UNWRITTEN: usize = 1000;
pub(crate) const HISTORY_TIME: Duration = Duration::from_millis(250);

/// Questions of a tenant that are kept, the newest.
pub(crate) const HISTORY: i64 = 10_000;
/// Answers of a tenant that can be opened again, the newest.
pub(crate) const ANSWERS: i64 = 2000;
/// Quotes that a tenant keeps.
pub(crate) const EVIDENCE: i64 = 10_000;
/// Tables over papers of a tenant, questions of one, and its cells.
pub(crate) const TABLES: i64 = 200;
pub(crate) const COLUMNS: usize = 30;
pub(crate) const CELLS: usize = 20_000;
/// The time for which a table asks its papers before other jobs have their turn.
pub(crate) const TABLE_TIME: Duration = Duration::from_secs(10);
/// Records of a collection.
pub(crate) const RECORDS: i64 = 100_000;
/// Uploaded papers of a collection.
pub(crate) const PAPERS: usize = 10_000;

/// Unfinished jobs of a tenant, questions and others apart.
pub(crate) const JOBS: i64 = 1000;
/// Items that a list returns, unless the client says how many, and at most.
pub(crate) const LISTED: usize = 50;
pub(crate) const LISTED_MOST: usize = 1000;
/// Bytes of a list that are read at a time; the last item may go beyond.
pub(crate) const PART_BYTES: usize = 1 << 20;
/// Hits of a search at most.
pub(crate) const HITS_MOST: usize = 100;
/// Quotes that are highlighted in one file at most.
pub(crate) const QUOTES_MOST: usize = 500;
/// Passages of an answer at most.
pub(crate) const PASSAGES_MOST: usize = 50;
/// Indexes that are open at a time.
pub(crate) const OPEN_INDEXES: usize = 64;
