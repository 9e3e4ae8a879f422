/** Header of a request with the token of the hub that its `hub` names; addresses are written into logs. */
export const hubTokenHeader = 'x-hub-token';
