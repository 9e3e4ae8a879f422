/** How a sign-in layer names the person it let in to the model server behind it. */

/**
 * Header with the signed name of the person, made by `gateway/identity/signedPerson.ts`. The sign-in layer
 * removes what clients send under this name. A request of somebody who is not signed in has none.
 */
export const personHeader = 'x-nearglot-person';

/** Header with the address at which the sign-in layer signs out who is signed in. */
export const signOutHeader = 'x-nearglot-sign-out';

/** Of every name under which our pages keep something in a browser; a sign-out removes these and no others. */
export const browserStorePrefix = 'nearglot.';
