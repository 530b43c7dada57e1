/**
 * Texts that answers and requests share because everybody writes them: media types, reason phrases, the first lines of
 * documents. That one of them is repeated says nothing of a request.
 */
export const PUBLIC_TEXTS: readonly string[] = [
  ...["application/json", "application/problem+json", "application/octet-stream", "application/xml", "text/html"],
  ...["application/x-www-form-urlencoded", "multipart/form-data", "text/plain", "text/xml", "application/javascript"],
  ...["charset=utf-8", "gzip, deflate", "en-US,en;q=0.9", "no-cache, no-store", "must-revalidate", "keep-alive"],
  ...["Moved Permanently", "Permanent Redirect", "Temporary Redirect", "Payment Required", "Method Not Allowed"],
  ...["Proxy Authentication Required", "Request Timeout", "Precondition Failed", "Precondition Required"],
  ...["Content Too Large", "Payload Too Large", "Request Entity Too Large", "Unsupported Media Type"],
  ...["Range Not Satisfiable", "Expectation Failed", "Misdirected Request", "Unprocessable Content"],
  ...["Unprocessable Entity", "Failed Dependency", "Too Many Requests", "Request Header Fields Too Large"],
  ...["Unavailable For Legal Reasons", "Internal Server Error", "Service Unavailable", "Gateway Timeout"],
  ...["HTTP Version Not Supported", "Insufficient Storage", "Network Authentication Required"],
  ...['<?xml version="1.0" encoding="UTF-8"?>', '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>'],
  ...["<html><head><title>", "</title></head><body>", "</body></html>", "http://www.w3.org/1999/xhtml"],
  ...["http://www.w3.org/2001/XMLSchema-instance", "http://www.w3.org/2001/XMLSchema"],
  ...["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"],
];

/**
 * Request headers whose values are no secret: what is sent and accepted, by whom, and how it may be cached (RFC 9110, 8 and
 * 12; RFC 9111, 5). In lower case.
 */
export const PUBLIC_HEADERS: ReadonlySet<string> = new Set([
  ...["content-type", "content-language", "content-encoding", "accept", "accept-charset", "accept-encoding"],
  ...["accept-language", "user-agent", "cache-control", "pragma"],
]);
