//! What only has the words of something that is believed.
