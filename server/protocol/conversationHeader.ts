/** How a client tells balancers what belongs together: each turn of a conversation goes where those before were read. */

export const conversationHeader = 'x-conversation';

/** The header for the id of a conversation; none for what cannot stand in one. */
export const conversationHeaders = (id: string | undefined): Readonly<Record<string, string>> =>
	id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id) ? { [conversationHeader]: id } : {};
