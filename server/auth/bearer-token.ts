/** The token of an `Authorization: Bearer <token>` header (RFC 6750, section 2.1); undefined for any other value. */
export function bearerToken(authorization: string): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
}
