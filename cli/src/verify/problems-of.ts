import type { BodyChange, BodyVariant } from "./body-variants.ts";
import type { Explanation, SignedHead } from "./explain-signature.ts";
import type { GivenSignature, Scheme } from "./given-signatures.ts";
import type { KeyForm } from "./known-secrets.ts";
import type { Problem } from "./problem.ts";

/** In what a signature differs from the right one. `subject` is what was signed, such as the name of the header. */
export function problemsOf(subject: string, signature: GivenSignature, { head, form, body }: Explanation): Problem[] {
  return [
    ...headProblem(subject, signature, head),
    ...keyProblem(subject, signature.scheme, form),
    ...bodyProblem(body),
  ];
}

function headProblem(subject: string, { id, timestamp, scheme }: GivenSignature, head: SignedHead): Problem[] {
  const signed = scheme === "webhook-signature" ? "{webhook-id}.{webhook-timestamp}.{body}" : "{t}.{body}";
  const content = (without: string): Problem => ({
    code: "wrong_content",
    message: `${subject} was made ${without}.`,
    fix: `Sign ${signed}.`,
  });
  switch (head.change) {
    case "none":
      return [];
    case "id":
      return [
        {
          code: "wrong_id",
          message: `${subject} was made for the id ${head.id}, not for ${id}, which webhook-id says.`,
          fix: "Pass webhook-id as it came: it is the schedule's id, and signed.",
        },
      ];
    case "time":
      return [
        {
          code: "wrong_time",
          message: `${subject} was made at ${head.timestamp}, not at ${timestamp}, which its header says.`,
          fix: "Pass the time as it came, in seconds: it is signed.",
        },
      ];
    case "no_id":
      return [content("without the id")];
    case "body_alone":
      return [content("over the body alone")];
  }
}

function keyProblem(subject: string, scheme: Scheme, form: KeyForm): Problem[] {
  if (form === "text_without_prefix") {
    const fix =
      scheme === "webhook-signature"
        ? "Standard Webhooks takes the bytes: base64-decode what follows whsec_."
        : "Stripe's scheme takes the whole text, whsec_ included.";
    return [
      {
        code: scheme === "webhook-signature" ? "secret_as_text" : "secret_without_prefix",
        message: `${subject} was made with the text after whsec_ as the key.`,
        fix,
      },
    ];
  }
  if (scheme === "webhook-signature" && form === "text") {
    return [
      {
        code: "secret_as_text",
        message: `${subject} was made with the secret's text as the key, where its bytes are wanted.`,
        fix: "Standard Webhooks takes the bytes: base64-decode what follows whsec_.",
      },
    ];
  }
  if (scheme === "X-Service-Signature" && form === "bytes") {
    return [
      {
        code: "secret_as_bytes",
        message: `${subject} was made with the secret's bytes as the key, where its text is wanted.`,
        fix: "Stripe's scheme takes the whole text, whsec_ included, as it is.",
      },
    ];
  }
  return [];
}

function bodyProblem({ change, how }: BodyVariant): Problem[] {
  if (change === "none") return [];
  const [matches, fix] = BODY_WORDS[change];
  return [{ code: change, message: `It matches ${matches.replace("{how}", how)}.`, fix }];
}

const RAW = "Check the bytes as they came, before anything reads or stores them.";

/** For each change, what completes “It matches …”, and what to do. */
const BODY_WORDS: Readonly<Record<Exclude<BodyChange, "none">, readonly [matches: string, fix: string]>> = {
  trailing_newline: [
    "after the trailing newline is removed: an editor, echo or a log added one",
    `${RAW} To save a body, use printf or curl's --data-binary.`,
  ],
  newline_lost: ["with a newline at the end: something trimmed the body", RAW],
  line_breaks: ["with its line breaks as {how}: something rewrote them", RAW],
  byte_order_mark: ["without the byte order mark: something put one in front", RAW],
  reserialised: [
    "as JSON {how}: your framework parsed the body, and what is checked was written anew",
    "Check the raw body before it is parsed: in Express before express.json(), or with express.raw().",
  ],
  empty_body: [
    "with an empty body: your framework made a value of nothing",
    "Check the raw body before it is parsed. A schedule without a payload sends none.",
  ],
  quoted: ["after a layer of JSON quotes is removed: the body was written as JSON twice", RAW],
  base64: [
    "after base64 is decoded: the platform hands binary bodies over as base64",
    "Decode it first; AWS Lambda says so with isBase64Encoded.",
  ],
  latin1: ["after UTF-8 is restored: the body was read as Latin-1", `${RAW} Or decode it as UTF-8.`],
  extra_bytes: ["with as many bytes as Content-Length says: something follows the body", RAW],
};
