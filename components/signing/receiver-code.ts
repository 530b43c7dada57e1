const IMPORT_AND_SECRETS = `import { Webhook } from "standardwebhooks";

const { STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT } = process.env;
const secrets = [STOPWATCH_SECRET, STOPWATCH_SECRET_NEXT];
`;

const FITS = `
function fits(secret, body, headers) {
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
}
`;

/** Code of receivers that accept a request signed with the current or the next secret, for Standard Webhooks. */
export const RECEIVER_SAMPLES = [
  {
    label: "Next.js",
    language: "js",
    code: `${IMPORT_AND_SECRETS}
export async function POST(request) {
  const body = Buffer.from(await request.arrayBuffer()); // before anything parses it
  const headers = Object.fromEntries(request.headers);
  const isSigned = secrets.some((secret) => fits(secret, body, headers));
  return new Response(null, { status: isSigned ? 204 : 401 });
}
${FITS}`,
  },
  {
    label: "Express",
    language: "js",
    code: `${IMPORT_AND_SECRETS}
app.post("/hook", express.raw({ type: "*/*" }), (req, res) => {
  const isSigned = secrets.some((secret) => fits(secret, req.body, req.headers));
  res.status(isSigned ? 204 : 401).end();
});
${FITS}`,
  },
  {
    label: "Hono",
    language: "js",
    code: `${IMPORT_AND_SECRETS}
app.post("/hook", async (c) => {
  const body = Buffer.from(await c.req.arrayBuffer());
  const isSigned = secrets.some((secret) => fits(secret, body, c.req.header()));
  return c.body(null, isSigned ? 204 : 401);
});
${FITS}`,
  },
  {
    label: "Python",
    language: "py",
    code: `import base64, hmac, time

# headers: a dict with names in lower case. secrets: [current, next].
def is_signed(secrets, body: bytes, headers) -> bool:
    schedule_id, sent_at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if "." in schedule_id or not sent_at.isdecimal() or not abs(time.time() - float(sent_at)) <= 300:
        return False
    content = f"{schedule_id}.{sent_at}.".encode(errors="replace") + body
    given = headers.get("webhook-signature", "").encode(errors="replace").split()
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        mac = b"v1," + base64.b64encode(hmac.digest(key, content, "sha256"))
        if any(hmac.compare_digest(one, mac) for one in given):
            return True
    return False
`,
  },
  {
    label: "Go",
    language: "go",
    code: `func hook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, name := range []string{"STOPWATCH_SECRET", "STOPWATCH_SECRET_NEXT"} {
		wh, err := standardwebhooks.NewWebhook(os.Getenv(name))
		if err == nil && wh.Verify(body, r.Header) == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	w.WriteHeader(http.StatusUnauthorized)
}
`,
  },
] as const;
