import { CodeTabs } from "../ui/code-tabs.tsx";
import { highlightCode } from "../ui/highlight-code.ts";
import { RECEIVER_SAMPLES } from "./receiver-code.ts";

/** How a receiver checks signatures, in five frameworks and languages. */
export function ReceiverSamples() {
  return (
    <section className="grid min-w-0 grid-cols-1 gap-2" aria-labelledby="receiver">
      <h2 id="receiver" className="text-base">
        At the receiver
      </h2>
      <CodeTabs
        what="Receiver"
        samples={RECEIVER_SAMPLES.map(({ label, code, language }) => ({ label, code: highlightCode(language, code) }))}
      />
      <p className="text-ink-muted text-xs">
        Check the bytes as they came, before anything parses them. Next.js, Express and Hono use{" "}
        <code>npm install standardwebhooks</code>, Go uses{" "}
        <code className="wrap-anywhere">github.com/standard-webhooks/standard-webhooks/libraries/go</code>, Python needs
        nothing.
      </p>
    </section>
  );
}
