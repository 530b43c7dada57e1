/** Starts nothing. Without this file Next.js uses the product's, which is in a folder above. */
export function register(): void {}
