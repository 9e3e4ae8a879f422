/** How a sign-in layer names the person it let in to the model server behind it. */

/**
 * Header with the signed name of the person, made by `gateway/identity/signedPerson.ts`. The sign-in layer
 * removes what clients send under this name. A request of somebody who is not signed in has none.
 */
export const personHeader = 'x-nearglot-person';
