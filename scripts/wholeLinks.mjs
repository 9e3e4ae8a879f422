/**
 * Links of a page that goes without the rest of the repository, such as the README in a package: those to files that do not
 * come along lead to the repository on the web. Pictures stay where they are.
 */

/**
 * @param {string} markdown
 * @param {(path: string) => boolean} comesAlong whether a path from the root of the repository is in the package
 * @param {string} repository its `url` in package.json
 */
export function wholeLinks(markdown, comesAlong, repository) {
	const base = repository.replace(/^git\+/, '').replace(/\.git$/, '');
	return markdown.replace(
		/(!?)(\[(?:[^[\]]|\[[^[\]]*\])*\]\()([^)\s]+)/g,
		(link, picture, words, target) => {
			const [path = ''] = target.split('#');
			if (picture !== '' || path === '' || /^[a-z][a-z+.-]*:|^\//i.test(target) || comesAlong(path))
				return link;
			return `${words}${base}/blob/HEAD/${target}`;
		},
	);
}
