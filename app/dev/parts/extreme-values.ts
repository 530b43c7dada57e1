// The longest values that the API accepts, without a place to break.

export const LONG_URL = `https://${"a-host-that-is-long.".repeat(4)}example.com/${"unbroken".repeat(237)}`;
export const LONG_NAME = "a-name-of-eighty-characters-without-any-place-at-which-it-could-be-broken-in-two";
export const LONG_EMAIL = `${"a".repeat(64)}@${"mail.".repeat(30)}example.com`;
export const LONG_ERROR = `{"error":"${"E".repeat(500)}"}`;
export const LONG_REASON = "because ".repeat(24).trim();
