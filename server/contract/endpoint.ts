import type { z } from "zod";
import type { ErrorCode } from "#domain/errors.ts";

/** A schema of query parameters: every value comes as a string that is not empty. */
export type QuerySchema<T = unknown> = z.ZodType<T> & { shape: object };

/** One success answer. `schema` null: no body. */
export type ResponseSpec = {
  description: string;
  schema: z.ZodType | null;
  /** Headers of this answer alone, name → what it says. */
  headers?: Record<string, string>;
  example?: unknown;
  /** An example of the same as plain text, for callers that prefer it. */
  textExample?: string;
};

/**
 * One endpoint, told once: `route` reads, authenticates and types its calls from this, and the OpenAPI document is made
 * of it. What every endpoint may answer besides (UNAUTHORIZED, RATE_LIMITED, INTERNAL, …) is not repeated in `errors`.
 */
export type Endpoint = {
  operationId: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** As in OpenAPI, such as `/v1/schedules/{id}`. */
  path: `/${string}`;
  tag: string;
  summary: string;
  description?: string;
  /** Which credentials may call: either kind, a session alone, or none at all. */
  auth: "any" | "session" | "none";
  /** Belongs to one environment: a key has its own, a session acts on `live` and takes `?env=test`. */
  hasEnv?: boolean;
  query?: QuerySchema;
  /** Request headers that it knows, name → what it does. */
  requestHeaders?: Record<string, string>;
  body?: z.ZodType;
  /** What the document shows in place of `body`, where parts of a body are judged later than the whole. */
  bodyInDocument?: z.ZodType;
  /** An absent body means an empty object. */
  isBodyOptional?: boolean;
  /** Hard limit of the body, bytes; 2 MiB unless it is given. */
  bodyBytesMax?: number;
  bodyExample?: unknown;
  responses: { readonly [status: number]: ResponseSpec };
  errors?: readonly ErrorCode[];
};

/** The endpoint as it is given, with its exact type. */
export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition;
}

export type BodyOf<E extends Endpoint> = E extends { body: z.ZodType<infer B> } ? B : undefined;

export type QueryOf<E extends Endpoint> = E extends { query: z.ZodType<infer Q> } ? Q : undefined;

/** What a handler of the endpoint may reply: one of its statuses, with the body that belongs to it. */
export type ReplyOf<E extends Endpoint> = {
  [S in keyof E["responses"] & number]: {
    status: S;
    body: E["responses"][S] extends { schema: z.ZodType<infer T> } ? T : undefined;
    headers?: Record<string, string>;
    cookies?: readonly string[];
  };
}[keyof E["responses"] & number];
