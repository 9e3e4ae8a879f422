/** Beside the page: a proxy may have put a path in front. */
export const fetchBeside = (path: string, init: RequestInit): Promise<Response> =>
	fetch(path.replace(/^\//, ''), init);
