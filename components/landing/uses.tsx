import { CodeBlock } from "../ui/code-block.tsx";
import { highlightCode } from "../ui/highlight-code.ts";
import { USES } from "./uses.ts";

/** What it is for, with a line of the SDK for each. */
export function Uses() {
  return (
    <section aria-labelledby="uses" className="mt-[clamp(3rem,6vw,4.5rem)] grid gap-6">
      <h2 id="uses" className="text-2xl">
        What it is for
      </h2>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,26rem),1fr))] gap-x-8 gap-y-8">
        {USES.map(({ title, text, code }) => (
          <div key={title} className="grid min-w-0 grid-cols-1 content-start gap-2.5">
            <h3 className="text-lg">{title}</h3>
            <p className="text-pretty text-ink-soft">{text}</p>
            <CodeBlock title="SDK" what={`code for ${title.toLowerCase()}`} code={highlightCode("js", broken(code))} />
          </div>
        ))}
      </div>
    </section>
  );
}

/** The line with a break before each field, so that it fits a narrow column. */
function broken(code: string): string {
  return code.replace("({ targetUrl, ", "({\n  targetUrl,\n  ").replace(/ \}\);$/, "\n});");
}
