import { sdkSampleOf } from "./sdk-samples.ts";

/** `sdk` is null where the SDK has no method for the call. */
export type CodeSamples = { curl: string; sdk: string | null; fetch: string };

type Call = {
  operationId: string;
  baseUrl: string;
  method: string;
  path: string;
  /** The security schemes that it accepts; none for a public call. */
  schemes: readonly string[];
  body: unknown;
  /** The answer is a stream of events, which has no end. */
  isStream: boolean;
};

/** One call as a curl command, by the SDK, and as JavaScript with fetch. */
export function samplesOf(call: Call): CodeSamples {
  const url = call.baseUrl + call.path.replace(/\{(\w+)\}/g, (_, name: string) => EXAMPLES.get(name) ?? name);
  return { curl: curlOf(url, call), sdk: sdkSampleOf(call.operationId, call.body), fetch: fetchOf(url, call) };
}

const EXAMPLES = new Map<string, string>(Object.entries({ id: "ID", key: "cart-1234", provider: "github" }));

function curlOf(url: string, { method, schemes, body, isStream }: Call): string {
  const credential = schemes.includes("apiKey")
    ? ['-H "Authorization: Bearer $STOPWATCH_API_KEY"']
    : schemes.map(() => '--cookie "sw_session=$STOPWATCH_SESSION"');
  const parts = [
    // curl sends a body with POST anyway.
    ...(isStream ? ["--no-buffer"] : []),
    ...(method === "GET" || (method === "POST" && body !== undefined) ? [] : [`-X ${method}`]),
    ...credential,
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`]),
  ];
  return [`curl "${url}"`, ...parts].join(" \\\n  ");
}

function fetchOf(url: string, { method, schemes, body, isStream }: Call): string {
  const isByKey = schemes.includes("apiKey");
  const headers = [
    ...(isByKey ? [`    Authorization: \`Bearer \${process.env.STOPWATCH_API_KEY}\`,`] : []),
    ...(schemes.length > 0 && !isByKey ? [`    Cookie: \`sw_session=\${process.env.STOPWATCH_SESSION}\`,`] : []),
    ...(body === undefined ? [] : ['    "Content-Type": "application/json",']),
  ];
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    ...(headers.length === 0 ? [] : ["  headers: {", ...headers, "  },"]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`]),
  ];
  const call = options.length === 0 ? `"${url}"` : `"${url}", {\n${options.join("\n")}\n}`;
  const shown = isStream
    ? "for await (const events of answer.body.pipeThrough(new TextDecoderStream())) console.log(events);"
    : "console.log(answer.status, await answer.text());";
  return `const answer = await fetch(${call});\n${shown}`;
}

function indented(text: string): string {
  return text.replaceAll("\n", "\n  ");
}
