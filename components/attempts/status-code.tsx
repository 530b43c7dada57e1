/** A target's status code in the colour of its class; "none" without an answer. */
export function StatusCode({ code }: { code: number | null }) {
  return (
    <span className={`font-mono text-sm ${inkOf(code)}`}>
      {code ?? "none"}
      {code === null && <span className="sr-only">: no answer</span>}
    </span>
  );
}

function inkOf(code: number | null): string {
  if (code === null || code >= 500) return "text-bad";
  return code >= 200 && code < 300 ? "text-ok" : "text-warn";
}
