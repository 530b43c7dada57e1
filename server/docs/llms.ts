import { ENDPOINTS } from "#contract/endpoints.ts";
import { SDK_NAME, sdkInstallCommand } from "../sdk-package.ts";
import { DOC_PAGES, docMarkdownHref } from "./pages.ts";

/** The content of /llms.txt: a summary of the service and its API for language models. Source: https://llmstxt.org. */
export function describeForModels(baseUrl: string): string {
  const endpoints = ENDPOINTS.map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}`);
  const pages = DOC_PAGES.map((page) => `- [${page.title}](${baseUrl}${docMarkdownHref(page)}): ${page.description}`);
  return `# Stopwatch

> Stopwatch stores an HTTP request now and sends it at the instant you choose: signed, retried when the target fails, with a
> log of how late each attempt was.

- Base address of this installation: ${baseUrl}
- Authentication: \`Authorization: Bearer sw_live_…\` (or \`sw_test_…\`, whose schedules are really delivered, but free).
- Bodies and answers are JSON. Errors: \`{ "error": { "code", "message", "details"? } }\`; each answer has an \`X-Request-Id\`.
- Targets are public https:// addresses. Delivery is at least once; \`webhook-id\` is the schedule's id on every attempt.
- A create has one time: \`fireAt\` (RFC 3339), \`fireIn\` (\`90s\`, \`1h30m\`), or \`fireAtLocal\` with \`timezone\` (IANA).
- A create with an \`idempotencyKey\` stores once, however often it is sent.
- SDK for JavaScript, \`${SDK_NAME}\`: \`${sdkInstallCommand(baseUrl)}\`. It is on no registry.

\`\`\`sh
curl ${baseUrl}/v1/schedules \\
  -H "Authorization: Bearer $STOPWATCH_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"targetUrl": "https://example.com/hook", "fireIn": "90s", "method": "POST", "payload": "{}"}'
\`\`\`

## Docs

${pages.join("\n")}
- [API reference](${baseUrl}/docs/api): every endpoint, for people
- [Everything](${baseUrl}/llms-full.txt): all pages above as one text

## API

- [OpenAPI document](${baseUrl}/v1/openapi.json): every endpoint with its schemas, errors and examples
${endpoints.join("\n")}
`;
}
