/** Names that other services use for our fields and parameters, folded. */
const SYNONYMS = new Map<string, readonly string[]>(
  Object.entries({
    targetUrl: [
      "url",
      "target",
      "endpoint",
      "destination",
      "to",
      "uri",
      "webhookurl",
      "callbackurl",
      "callback",
      "webhook",
    ],
    fireAt: [
      ...[
        "sendat",
        "scheduledat",
        "scheduledfor",
        "scheduleat",
        "deliverat",
        "runat",
        "executeat",
        "at",
        "when",
        "time",
      ],
      ...["notbefore", "date", "timestamp", "firetime"],
    ],
    fireIn: ["delay", "in", "delayseconds", "sendin", "wait", "runin", "duration", "countdown"],
    fireAtLocal: ["local", "localtime", "fireatlocaltime", "localdatetime", "fireatinzone"],
    timezone: ["tz", "zone", "zoneid", "ianatimezone", "localtimezone", "fireatzone"],
    onClockChange: ["dst", "ondst", "ondstchange", "clockchange", "ambiguous", "disambiguation", "overlap"],
    payload: ["body", "data", "content", "message", "json", "text"],
    headers: ["header", "httpheaders", "customheaders"],
    method: ["verb", "httpmethod", "type"],
    idempotencyKey: ["idempotency", "idempotent", "key", "dedupkey", "deduplicationid", "dedupeid", "requestid"],
    earlyFire: ["early", "firesearly", "fireearly"],
    schedules: ["items", "messages", "batch", "requests", "data", "jobs", "schedule"],
    limit: ["pagesize", "perpage", "count", "size", "max", "first", "take", "maxresults"],
    offset: ["skip", "start", "page", "pagenumber"],
    after: ["cursor", "startingafter", "pagetoken", "nexttoken", "next", "nextcursor", "continuationtoken"],
    status: ["state", "statuses"],
    q: ["query", "search", "filter", "targeturl", "url", "target", "term"],
    sort: ["orderby", "sortby", "order", "ordering"],
    from: ["since", "begin", "startdate", "starttime", "fireatgte", "fireatfrom", "createdafter", "createdgte", "min"],
    to: ["until", "enddate", "endtime", "end", "fireatlt", "fireatto", "createdbefore", "createdlt", "till"],
    outcome: ["result", "success", "status"],
    code: ["statuscode", "httpstatus", "responsecode"],
    env: ["environment", "mode", "livemode", "testmode", "stage"],
    period: ["range", "window", "interval"],
    name: ["label", "displayname", "title", "description"],
    cpsLimit: ["cps", "rate", "ratelimit", "concurrency", "callspersecond", "rps"],
    retryAttempts: ["retries", "maxretries", "attempts", "maxattempts", "retrycount", "retry"],
    retryBackoffMs: ["backoff", "backoffms", "retrydelay", "retrybackoff", "retrydelayms"],
    retryStrategy: ["strategy", "backoffstrategy"],
  }),
);

/**
 * The name in `known` that `name` probably stands for: the same in another spelling (case, separators), a synonym, or one
 * typo away. Undefined when there is none.
 */
export function didYouMean(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > NAME_LENGTH_MAX) return undefined;
  const wanted = folded(name);
  if (wanted === "") return undefined;
  return (
    candidates.find((one) => folded(one) === wanted) ??
    candidates.find((one) => SYNONYMS.get(one)?.includes(wanted)) ??
    candidates.find((one) => isTypo(wanted, folded(one)))
  );
}

const NAME_LENGTH_MAX = 40;

/** Lower case without separators: `fire_at`, `fireAt` and `fire-at` become `fireat`. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

/** Whether two words differ by one inserted, deleted or replaced character, or by two transposed neighbours. */
function isTypo(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 4 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  );
}
