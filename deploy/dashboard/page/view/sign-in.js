(function (odograph) {
    'use strict';

    const { say, byID } = odograph.dom;

    /** Asks who is looking. The password is kept in memory only, as long as the page is open. */
    class SignIn {
        #hasAsked = false;

        /** @param {(user: string, password: string) => void} onAnswer not called where the question is put away */
        constructor(onAnswer) {
            this.dialog = byID('sign-in');
            this.dialog.querySelector('form').addEventListener('submit', () => {
                onAnswer(byID('user').value, byID('password').value);
            });
        }

        /** Asks; the second time the answer before was wrong. */
        ask() {
            say(byID('sign-in-words'), this.#hasAsked ? 'The broker rejected the user name or the password.'
                : 'The broker requires a login.');
            this.#hasAsked = true;
            if (!this.dialog.open) this.dialog.showModal();
        }
    }

    odograph.SignIn = SignIn;
})(globalThis.odograph ??= {});
