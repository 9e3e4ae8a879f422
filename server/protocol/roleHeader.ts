/** How a sign-in layer tells the model server behind it what its requests may do at most. */

/**
 * Header of every request that came through a sign-in layer. It only takes rights away: whatever key comes
 * with it, the request may do what a member of the team may.
 */
export const roleHeader = 'x-nearglot-role';

/** The only value of {@link roleHeader}. */
export const memberRole = 'member';
