/** Who opened the page, as the server wrote it into the page. */

const said = (name: string): string | undefined => document.body.dataset[name];

/** Whether the page came through a sign-in layer: its reader uses the models, the owner looks after them. */
export const isMember = (): boolean => said('caller') === 'member';

/** An opaque id: what one person leaves in the browser is not for another. */
export const personId = (): string => said('person') ?? '';

/** What the sign-in layer calls who is signed in, and where it signs them out; `undefined` without a layer. */
export function signedIn(): { readonly name: string; readonly signOut: string } | undefined {
	const [name, signOut] = [said('name'), said('signOut')];
	return name === undefined || signOut === undefined ? undefined : { name, signOut };
}

/** Whether the models run on the computer in front of the reader, as far as a page can tell. */
export const modelsRunHere = (): boolean =>
	!['member', 'anonymous'].includes(said('caller') ?? '') &&
	/^(localhost|127\.0\.0\.1|\[::1\])$/.test(location.hostname);
