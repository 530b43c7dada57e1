/** A schedule as the API shows it. Instants are ISO strings. */
export type ScheduleView = {
  id: string;
  status: string;
  fire_at: string;
  fired_at: string | null;
  offset_ms: number | null;
  attempts: number;
  payload_size_bytes: number;
  has_payload: boolean;
};

export type AttemptView = {
  attempt: number;
  status_code: number | null;
  error_text: string;
  attempted_at: string;
  timing: { late: number | null };
};

export type CreatedView = { id: string; fire_at: string; status: string; over_limit: boolean };

/** An answer of the API, of any status, and when it came, epoch ms. The body of a failure is the error envelope. */
export type Answer<Body> = {
  status: number;
  isReplay: boolean;
  body: Partial<Body> & ErrorView;
  answeredAtMs: number;
};

type ErrorView = { error?: { code: string; message: string } };

export type Client = ReturnType<typeof createClient>;

/** Calls the public HTTP API with an API key. Throws only when there is no answer at all. */
export function createClient(baseUrl: string, key: string) {
  return async <Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        // On a machine that stood still for seconds, the service has closed a connection that is idle here.
        connection: "close",
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_MS_MAX),
    });
    return {
      status: response.status,
      isReplay: response.headers.get("idempotent-replayed") === "true",
      body: (await response.json()) as Partial<Body> & ErrorView,
      answeredAtMs: Date.now(),
    };
  };
}

const CALL_MS_MAX = 60_000;
