/**
 * The origin of targets that no network reaches: their requests go to a connected listener (`GET /v1/listen`). `.invalid`
 * never resolves (RFC 6761, 6.4).
 */
export const LISTEN_HOST = "listen.invalid";
export const LISTEN_ORIGIN = `https://${LISTEN_HOST}`;
