import type { z } from "zod";
import type { ErrorCode } from "#domain/errors.ts";

/** A schema of query parameters; its input values are non-empty strings. */
export type QuerySchema<T = unknown> = z.ZodType<T> & { shape: object };

/** One success response. `schema` null: no body. */
export type ResponseSpec = {
  description: string;
  schema: z.ZodType | null;
  /** Headers of this response alone: name → description. */
  headers?: Record<string, string>;
  example?: unknown;
  /** An example of the response as plain text, if the endpoint has that format too. */
  textExample?: string;
  /** An example of the events, if the response is a stream of them; `schema` is null then. */
  eventsExample?: string;
};

/**
 * The contract of one endpoint. `route` parses, authenticates and types requests by it, and the OpenAPI document is
 * generated from it. `errors` does not repeat those that every endpoint has (UNAUTHORIZED, RATE_LIMITED, INTERNAL, …).
 */
export type Endpoint = {
  operationId: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As in OpenAPI, such as `/v1/schedules/{id}`. */
  path: `/${string}`;
  tag: string;
  summary: string;
  description?: string;
  /** Required credential: API key or session, session only, API key of the test environment only, or none. */
  auth: "any" | "session" | "testKey" | "none";
  /** Belongs to one environment: a key has its own, a session acts on `live` and takes `?env=test`. */
  hasEnv?: boolean;
  query?: QuerySchema;
  /** Query parameters that may be given several times: the schema gets an array. */
  repeatable?: readonly string[];
  /** Request headers with a meaning: name → description. */
  requestHeaders?: Record<string, string>;
  body?: z.ZodType;
  /** Replaces `body` in the OpenAPI document, when parts of the body are validated later than the whole. */
  bodyInDocument?: z.ZodType;
  /** An absent body means an empty object. */
  isBodyOptional?: boolean;
  /** The array in the body whose items are read one by one (`readJsonList`). The plan bounds items and bytes. */
  bodyList?: string;
  /** Maximum body size without a `bodyList`, bytes; default `BODY_BYTES_MAX`. */
  bodyBytesMax?: number;
  bodyExample?: unknown;
  responses: { readonly [status: number]: ResponseSpec };
  errors?: readonly ErrorCode[];
};

/** Identity function that infers the exact type of a definition. */
export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition;
}

export type BodyOf<E extends Endpoint> = E extends { body: z.ZodType<infer B> } ? B : undefined;

export type QueryOf<E extends Endpoint> = E extends { query: z.ZodType<infer Q> } ? Q : undefined;

/** The replies that a handler may return: one of the endpoint's statuses with the matching body. */
export type ReplyOf<E extends Endpoint> = {
  [S in keyof E["responses"] & number]: {
    status: S;
    body: E["responses"][S] extends { schema: z.ZodType<infer T> } ? T : undefined;
    headers?: Record<string, string>;
    cookies?: readonly string[];
    stream?: { type: string; content: ReadableStream<Uint8Array> };
  };
}[keyof E["responses"] & number];

/** The values of the parameters in a path, such as `id` in `/v1/schedules/{id}`, decoded. */
export type ParamsOf<E extends { path: string }> = NamesIn<E["path"]>;

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string> & NamesIn<Rest>
  : unknown;
