/** Escaped HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Template tag: escapes values, for text and double-quoted attributes; values of type Html are inserted as they are. */
export function html(strings: TemplateStringsArray, ...values: (string | number | Html | Html[])[]): Html {
  return new Html(
    strings.map((string, index) => string + (index < values.length ? inHtml(values[index]) : "")).join(""),
  );
}

function inHtml(value: string | number | Html | Html[] | undefined): string {
  if (Array.isArray(value)) return value.map(({ text }) => text).join("");
  if (value instanceof Html) return value.text;
  return String(value).replace(/[&<>"']/g, (character) => ESCAPED.get(character) ?? "");
}

const ESCAPED = new Map<string, string>(
  Object.entries({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }),
);
