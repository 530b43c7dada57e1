import { services } from "#server/services.ts";

export const metadata = { title: "Stopwatch", description: "Scheduled HTTP delivery." };

export default function Landing() {
  const { baseUrl } = services().config;
  return (
    <main>
      <h1>Stopwatch</h1>
      <p>Store an HTTP request now, and have it sent at the instant you choose.</p>
      <pre>
        <code>{`curl ${baseUrl}/v1/schedules \\
  -H "Authorization: Bearer $STOPWATCH_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"targetUrl": "https://example.com/hook", "fireAt": "2031-01-01T09:00:00Z"}'`}</code>
      </pre>
    </main>
  );
}
