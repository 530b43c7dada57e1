import type { BodyChange } from "./body-variants.ts";

/** What can be wrong with a captured request, for programs. */
export type ProblemCode =
  | "missing_header"
  | "malformed_header"
  | "malformed_secret"
  | "altered_header"
  | "wrong_id"
  | "wrong_time"
  | "wrong_content"
  | "wrong_encoding"
  | "secret_as_text"
  | "secret_as_bytes"
  | "secret_without_prefix"
  | Exclude<BodyChange, "none">
  | "other_environment"
  | "former_secret"
  | "next_secret"
  | "unknown_at_receiver"
  | "clock"
  | "no_match";

/** One thing that is wrong: a sentence, and what to do. */
export type Problem = { code: ProblemCode; message: string; fix: string };
