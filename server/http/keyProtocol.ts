/** How a browser shows its key to a WebSocket, whose headers it cannot set. */

/** Of the subprotocols that a client offers, the one with the key begins so. */
export const keyProtocol = 'openai-insecure-api-key.';
