/** The methods that a schedule's request may have. */
export const REQUEST_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
