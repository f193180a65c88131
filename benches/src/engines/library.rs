//! The interface to a library that knows one body at a time.

use crate::corpus::Form;

/// One way to query one library.
pub(crate) trait Library {
    /// One body, compiled for one crawler.
    type Ready;

    /// The form of its questions.
    const FORM: Form;
    /// Whether there is a step from bytes to a policy for any crawler.
    const PARSES: bool = true;
    /// Whether there is a step from bytes to a policy for one crawler.
    const COMPILES: bool = true;

    /// Compiles a body, or returns `None` if the library refuses it.
    fn ready(&mut self, body: &'static [u8]) -> Option<Self::Ready>;

    /// Parses a body and drops the result.
    fn parse(&mut self, _body: &'static [u8]) {}

    /// Compiles a body and drops the result.
    fn compile(&mut self, body: &'static [u8]) {
        std::hint::black_box(self.ready(body));
    }

    /// Returns whether the crawler may fetch the target of `question`, in this library's form.
    fn allows(&mut self, ready: &mut Self::Ready, question: &str) -> bool;
}
