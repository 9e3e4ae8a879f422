/** What is to be given back together: `AsyncDisposableStack` in what is used of it, which Node has from version 24 on. */
export class Disposals implements AsyncDisposable {
	#ends: (() => unknown)[] = [];

	/** Disposes of a resource at the end, and returns it. */
	use<Resource extends AsyncDisposable | Disposable>(resource: Resource): Resource {
		const end =
			Symbol.asyncDispose in resource ? resource[Symbol.asyncDispose] : resource[Symbol.dispose];
		this.#ends.push(() => end.call(resource));
		return resource;
	}

	/** Calls a function at the end. */
	defer(end: () => unknown): void {
		this.#ends.push(end);
	}

	/** Hands all of it over: from now on the one that is returned disposes of it. */
	move(): Disposals {
		const moved = new Disposals();
		moved.#ends = this.#ends;
		this.#ends = [];
		return moved;
	}

	/** Ends all, the last one first, whichever fails. Rejects with the error, of several with an AggregateError. */
	async [Symbol.asyncDispose](): Promise<void> {
		const errors: unknown[] = [];
		for (let end = this.#ends.pop(); end !== undefined; end = this.#ends.pop()) {
			try {
				await end();
			} catch (error) {
				errors.push(error);
			}
		}
		if (errors.length === 1) throw errors[0];
		if (errors.length > 1) throw new AggregateError(errors, 'Several things could not be ended.');
	}
}
