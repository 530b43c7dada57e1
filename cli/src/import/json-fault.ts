/** Why a text is not JSON, and at which column, from 1. Undefined when it is. Does not quote the text. */
export function findJsonFault(text: string): { column: number; message: string } | undefined {
  const message = messageOf(text);
  if (message === undefined) return undefined;
  const position = positionIn(message) ?? firstWrong(text);
  const reason = /^(?:Unexpected token|Unexpected end)/.test(message) ? message.split(/[,"]/)[0] : message;
  return { column: position + 1, message: `is not JSON: ${reason?.replace(/ in JSON at .*| of JSON input/, "")}` };
}

function messageOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return (error as SyntaxError).message;
  }
}

function positionIn(message: string): number | undefined {
  const [, position] = / at position (\d+)/.exec(message) ?? [];
  return position === undefined ? undefined : Number(position);
}

/** V8 names no position for some tokens. It is the end of the longest start of the text that could go on as JSON. */
function firstWrong(text: string): number {
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (canGoOn(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
}

function canGoOn(start: string): boolean {
  const message = messageOf(start);
  return message === undefined || message.startsWith("Unexpected end") || positionIn(message) === start.length;
}
