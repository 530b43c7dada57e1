/** Nothing to start; without it Next.js takes the one of the product, which lies above. */
export function register() {}
