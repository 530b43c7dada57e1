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
    code: `${IMPORT_AND_SECRETS}
export async function POST(request) {
  const body = await request.text(); // before anything parses it
  const headers = Object.fromEntries(request.headers);
  const isSigned = secrets.some((secret) => fits(secret, body, headers));
  return new Response(null, { status: isSigned ? 204 : 401 });
}
${FITS}`,
  },
  {
    label: "Express",
    code: `${IMPORT_AND_SECRETS}
app.post("/hook", express.raw({ type: "*/*" }), (req, res) => {
  const isSigned = secrets.some((secret) => fits(secret, req.body, req.headers));
  res.status(isSigned ? 204 : 401).end();
});
${FITS}`,
  },
  {
    label: "Hono",
    code: `${IMPORT_AND_SECRETS}
app.post("/hook", async (c) => {
  const body = await c.req.text();
  const isSigned = secrets.some((secret) => fits(secret, body, c.req.header()));
  return c.body(null, isSigned ? 204 : 401);
});
${FITS}`,
  },
  {
    label: "Python",
    code: `import base64, hmac, time

# headers: a dict with names in lower case. secrets: [current, next].
def is_signed(secrets, body: bytes, headers) -> bool:
    sent_at = headers["webhook-timestamp"]
    if abs(time.time() - int(sent_at)) > 300:
        return False
    content = b".".join([headers["webhook-id"].encode(), sent_at.encode(), body])
    for secret in secrets:
        key = base64.b64decode(secret.removeprefix("whsec_"))
        mac = base64.b64encode(hmac.digest(key, content, "sha256")).decode()
        for given in headers["webhook-signature"].split():
            if hmac.compare_digest(given, f"v1,{mac}"):
                return True
    return False
`,
  },
  {
    label: "Go",
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
