import { answerLine } from "#domain/answer-line.ts";
import { capitalised } from "../format/status-word.ts";

/** The answer of the last attempt in a sentence: "Last answer 503: settlement window closed", or why there was none. */
export function LastAnswer({ statusCode, errorText }: { statusCode: number | null; errorText: string }) {
  const line = answerLine(errorText);
  return (
    <span className="wrap-anywhere line-clamp-4">
      {statusCode === null ? (
        whyNone(line)
      ) : (
        <>
          Last answer <span className="font-mono">{statusCode}</span>
          {line === "" ? ", without a body." : `: ${line}`}
        </>
      )}
    </span>
  );
}

function whyNone(line: string): string {
  if (line === "") return "No answer.";
  return /^no answer/i.test(line) ? capitalised(line) : `No answer: ${line}`;
}
